; There is none.

(define (problem no-cake)
  (:domain pantry)
  (:objects sofa table door pantry - place  apple cake - food)
  (:init
    (at sofa) (in apple table)
    (way sofa table) (way table sofa) (way sofa door) (way door sofa)
    (way door pantry) (way pantry door)
    (= (total-cost) 0)
    (= (length sofa table) 3) (= (length table sofa) 3)
    (= (length sofa door) 12) (= (length door sofa) 12)
    (= (length door pantry) 4) (= (length pantry door) 4))
  (:goal (eaten apple))
  (:metric minimize (total-cost)))

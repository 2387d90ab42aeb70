; A cup and a glass on a shelf, a table, and a bin.

(define (problem shelf)
  (:domain gripper)
  (:objects cup glass - thing
            shelf table bin - place)
  (:init
    (at table)
    (on cup shelf) (on glass shelf)
    (fragile glass)
    (= (total-cost) 0))
  (:goal (on cup table))
  (:metric minimize (total-cost)))

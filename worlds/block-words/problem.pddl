; Six blocks with letters; words are read from top to bottom.
;
;     c
;     o   w
;     p   e   r
(define (problem letters)
  (:domain blocks)
  (:objects c e o p r w - block)
  (:init
    (on-table p) (on o p) (on c o) (clear c)
    (on-table e) (on w e) (clear w)
    (on-table r) (clear r)
    (hand-empty))
  (:goal (and (on p o) (on o w) (on w e) (on e r))))

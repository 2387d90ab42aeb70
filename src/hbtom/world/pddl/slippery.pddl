; The gridworld of the Baby Intuitions Benchmark, as the paper describes it: an agent moves between
; cells, touches items, picks up a key, and opens a lock with it, which makes a barrier vanish.
;
; Walls are not cells. Cells of the barrier and of the lock are blocked as long
; as the barrier is standing. A diagonal move needs the cells on both of its sides to be free.
; Touching an item leaves it where it is, so it can be touched again.
;
; In this version moves may go astray: the agent may end up 45 degrees to the left or right of its
; target, or stay where it is if that cell is blocked.

(define (domain gridworld)
  (:requirements :strips :typing :negative-preconditions :action-costs
                 :probabilistic-effects)
  (:types cell thing barrier - object
          item key - thing)
  (:constants standing gone - barrier)
  (:predicates
    (at ?c - cell)                     ; where the agent is
    (beside ?a ?b - cell)              ; neighbours, one to the left of the other
    (above ?a ?b - cell)               ; neighbours, one above the other; in both directions
    (now ?b - barrier)                 ; the barrier is standing, or it is gone
    (blocked ?c - cell ?b - barrier)   ; the cell is blocked in that state of the barrier
    (at-hand ?t - thing ?c - cell)     ; the thing can be reached from the cell
    (at-lock ?c - cell)                ; the lock can be reached from the cell
    (astray ?from ?to ?left ?right - cell ?b - barrier)  ; where a move may end instead
    (touched ?i - item)
    (held ?k - key))
  (:functions
    (side) (diagonal) (act) (opening)  ; costs of moves, of touching and picking up, of opening
    (total-cost) - number)

  (:action move-across
    :parameters (?from ?to ?left ?right - cell ?b - barrier)
    :precondition (and (at ?from) (beside ?from ?to) (now ?b)
                       (not (blocked ?from ?b)) (not (blocked ?to ?b))
                       (astray ?from ?to ?left ?right ?b))
    :effect (and (not (at ?from))
                 (probabilistic 0.8 (at ?to) 0.1 (at ?left) 0.1 (at ?right))
                 (increase (total-cost) (side))))

  (:action move-along
    :parameters (?from ?to ?left ?right - cell ?b - barrier)
    :precondition (and (at ?from) (above ?from ?to) (now ?b)
                       (not (blocked ?from ?b)) (not (blocked ?to ?b))
                       (astray ?from ?to ?left ?right ?b))
    :effect (and (not (at ?from))
                 (probabilistic 0.8 (at ?to) 0.1 (at ?left) 0.1 (at ?right))
                 (increase (total-cost) (side))))

  (:action move-diagonally
    :parameters (?from ?to ?one ?other ?left ?right - cell ?b - barrier)
    :precondition (and (at ?from) (now ?b)
                       (beside ?from ?one) (above ?one ?to)
                       (above ?from ?other) (beside ?other ?to)
                       (not (blocked ?from ?b)) (not (blocked ?to ?b))
                       (not (blocked ?one ?b)) (not (blocked ?other ?b))
                       (astray ?from ?to ?left ?right ?b))
    :effect (and (not (at ?from))
                 (probabilistic 0.8 (at ?to) 0.1 (at ?left) 0.1 (at ?right))
                 (increase (total-cost) (diagonal))))

  (:action touch
    :parameters (?i - item ?c - cell)
    :precondition (and (at ?c) (at-hand ?i ?c))
    :effect (and (touched ?i) (increase (total-cost) (act))))

  (:action pick-up
    :parameters (?k - key ?c - cell)
    :precondition (and (at ?c) (at-hand ?k ?c) (not (held ?k)))
    :effect (and (held ?k) (increase (total-cost) (act))))

  (:action unlock
    :parameters (?k - key ?c - cell)
    :precondition (and (at ?c) (at-lock ?c) (held ?k) (now standing))
    :effect (and (not (now standing)) (now gone) (increase (total-cost) (opening)))))

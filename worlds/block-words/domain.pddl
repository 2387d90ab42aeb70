; Four actions on blocks. The problem decides what is on each block: here, a letter.
(define (domain blocks)
  (:requirements :strips :typing)
  (:types block)
  (:predicates
    (on ?above ?below - block)
    (on-table ?b - block)
    (clear ?b - block)             ; nothing is on it
    (holding ?b - block)
    (hand-empty))

  (:action pick-up
    :parameters (?b - block)
    :precondition (and (clear ?b) (on-table ?b) (hand-empty))
    :effect (and (holding ?b) (not (clear ?b)) (not (on-table ?b)) (not (hand-empty))))

  (:action put-down
    :parameters (?b - block)
    :precondition (holding ?b)
    :effect (and (clear ?b) (on-table ?b) (hand-empty) (not (holding ?b))))

  (:action stack
    :parameters (?b ?below - block)
    :precondition (and (holding ?b) (clear ?below))
    :effect (and (on ?b ?below) (clear ?b) (hand-empty) (not (holding ?b)) (not (clear ?below))))

  (:action unstack
    :parameters (?b ?below - block)
    :precondition (and (on ?b ?below) (clear ?b) (hand-empty))
    :effect (and (holding ?b) (clear ?below)
                 (not (on ?b ?below)) (not (clear ?b)) (not (hand-empty)))))

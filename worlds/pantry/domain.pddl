; Somebody is hungry at home. There is an apple on the table. There may be cake in the pantry, but
; nobody can tell before they stand at its door.

(define (domain pantry)
  (:requirements :strips :typing :action-costs)
  (:types place food)
  (:predicates
    (at ?p - place)
    (way ?from ?to - place)
    (in ?f - food ?p - place)
    (eaten ?f - food))
  (:functions (total-cost) - number
              (length ?from ?to - place) - number)

  (:action walk
    :parameters (?from ?to - place)
    :precondition (and (at ?from) (way ?from ?to))
    :effect (and (not (at ?from)) (at ?to) (increase (total-cost) (length ?from ?to))))

  (:action eat
    :parameters (?f - food ?p - place)
    :precondition (and (at ?p) (in ?f ?p))
    :effect (and (not (in ?f ?p)) (eaten ?f) (increase (total-cost) 1))))

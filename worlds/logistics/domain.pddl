; A van delivers parcels. The cost of driving is the length of the road.
(define (domain logistics)
  (:requirements :strips :typing :action-costs)
  (:types place parcel)
  (:predicates
    (van-at ?p - place)
    (road ?a ?b - place)
    (at ?x - parcel ?p - place)
    (loaded ?x - parcel))
  (:functions
    (length ?a ?b - place)
    (total-cost) - number)

  (:action drive
    :parameters (?from ?to - place)
    :precondition (and (van-at ?from) (road ?from ?to))
    :effect (and (not (van-at ?from)) (van-at ?to) (increase (total-cost) (length ?from ?to))))

  (:action load
    :parameters (?x - parcel ?p - place)
    :precondition (and (van-at ?p) (at ?x ?p))
    :effect (and (loaded ?x) (not (at ?x ?p)) (increase (total-cost) 1)))

  (:action unload
    :parameters (?x - parcel ?p - place)
    :precondition (and (van-at ?p) (loaded ?x))
    :effect (and (not (loaded ?x)) (at ?x ?p) (increase (total-cost) 1))))

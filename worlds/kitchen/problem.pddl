; The salad needs a fresh tomato and the soup a cooked one, so only one of them is possible.
(define (problem supper)
  (:domain kitchen)
  (:objects
    fridge larder counter oven table - place
    tomato lettuce onion egg - food
    salad soup omelette - dish)
  (:init
    (= (total-cost) 0)
    (at table)
    (board counter) (stove oven) (table table)
    (kept tomato fridge) (kept lettuce fridge) (kept egg fridge) (kept onion larder)
    (raw tomato) (raw lettuce) (raw onion) (raw egg)
    (fresh tomato salad) (fresh lettuce salad)
    (part tomato soup) (part onion soup)
    (part egg omelette) (part onion omelette))
  (:goal (served salad))
  (:metric minimize (total-cost)))

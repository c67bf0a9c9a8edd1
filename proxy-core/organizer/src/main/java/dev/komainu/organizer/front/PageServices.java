package dev.komainu.organizer.front;

/**
 * The services that one event loop needs to send and receive pushes.
 *
 * @param prefetch the learnt pages and the push store; shared by all loops
 * @param fields head conversion for the caching rules; of this loop
 * @param routing the route table and the forecasts; shared by all loops
 */
record PageServices(Prefetch prefetch, HeadFields fields, RoutingContext routing) {}

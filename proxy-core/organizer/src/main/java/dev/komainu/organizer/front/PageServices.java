package dev.komainu.organizer.front;

/**
 * What one event loop needs to give and take the objects of pages before they are asked for.
 *
 * @param prefetch what is known of pages, and what is held for them; of all loops
 * @param fields heads as the rules of caching read them; of this loop
 * @param routing who serves what; of all loops
 */
record PageServices(Prefetch prefetch, HeadFields fields, RoutingContext routing) {}

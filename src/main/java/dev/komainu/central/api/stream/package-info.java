/**
 * The one stream of server-sent events: topics, ids, replay, heartbeat.
 *
 * <p>In: events published by other rooms' listeners, on any thread, never waiting. Out: the same
 * events to every subscriber of the topic, each read by the virtual thread of its own request. A
 * subscriber that reads too slowly is cut and counted; it comes back with its last id and is sent
 * what it missed.
 *
 * <p>Start at {@link dev.komainu.central.api.stream.EventHub}; {@code /api/v1/stream} is
 * {@link dev.komainu.central.api.stream.StreamController}.
 */
@NullMarked
package dev.komainu.central.api.stream;

import org.jspecify.annotations.NullMarked;

/**
 * The stream of server-sent events: topics, ids, replay, heartbeat.
 *
 * <p>In: events published by listeners of other packages, on any thread, without blocking. Out: the
 * same events to every subscriber of the topic, each read by the virtual thread of its own request.
 * A subscriber that reads too slowly is disconnected and counted. It reconnects with its last id
 * and receives the missed events.
 *
 * <p>Start at {@link dev.komainu.central.api.stream.EventHub}; {@code /api/v1/stream} is
 * {@link dev.komainu.central.api.stream.StreamController}.
 */
@NullMarked
package dev.komainu.central.api.stream;

import org.jspecify.annotations.NullMarked;

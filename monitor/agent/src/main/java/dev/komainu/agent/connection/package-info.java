/**
 * The connection analyzer of ENMA (thesis 2.4.2), with the sequence tracking the thesis missed
 * (2.6.2).
 *
 * <p>In: TCP segments, one at a time, in the order of capture. Out: events while connections live
 * ({@link dev.komainu.agent.connection.tcp.ConnectionListener}), and one record for each connection
 * that ended. Thread: a single one, the source's. Time is packet time: nothing here looks at a
 * clock.
 *
 * <p>An open connection costs at most 300 bytes, its row in a {@code Slab} and its slots in the
 * index; requests still remembered cost 52 bytes and their text; nothing is allocated per packet.
 * The analyzer joins {@code tcp}, which brings bytes into their order, {@code http} and
 * {@code tls}, which read them, and {@code exchange}, where requests and answers are kept. Start at
 * {@link dev.komainu.agent.connection.ConnectionAnalyzer}.
 */
@NullMarked
package dev.komainu.agent.connection;

import org.jspecify.annotations.NullMarked;

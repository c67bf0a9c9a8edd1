/**
 * The connection analyzer of ENMA (thesis 2.4.2), with the sequence tracking that the thesis lacked
 * (2.6.2).
 *
 * <p>In: TCP segments, one at a time, in the order of capture. Out: events while connections live
 * ({@link dev.komainu.agent.connection.tcp.ConnectionListener}), and one record for each connection
 * that ended. Thread: a single one, the source's. Time is packet time: this package reads no clock.
 *
 * <p>An open connection costs at most 300 bytes: its row in a {@code RowSlab} and its slots in the
 * index. A kept request costs 52 bytes and its text. Nothing is allocated per packet. The analyzer
 * joins {@code tcp}, which orders the bytes, {@code http} and {@code tls}, which read them, and
 * {@code exchange}, which stores requests and responses. Start at
 * {@link dev.komainu.agent.connection.ConnectionAnalyzer}.
 */
@NullMarked
package dev.komainu.agent.connection;

import org.jspecify.annotations.NullMarked;

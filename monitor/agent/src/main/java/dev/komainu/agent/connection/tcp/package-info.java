/**
 * TCP connections (RFC 9293): their rows, sequence numbers, gaps, and the order of their streams.
 *
 * <p>In: TCP segments, each with the row of its connection. Out: the bytes of both directions in
 * the order in which they were sent, as {@link dev.komainu.agent.connection.tcp.StreamPiece} to a
 * {@link dev.komainu.agent.connection.tcp.StreamReader}; events to a
 * {@link dev.komainu.agent.connection.tcp.ConnectionListener}. Thread: a single one, the source's.
 * This package does not interpret the bytes; the rows reserve room for the readers that do.
 *
 * <p>Rows lie in flat arrays ({@link dev.komainu.agent.connection.tcp.RowSlab},
 * {@link dev.komainu.agent.connection.tcp.ConnectionRow}); nothing is allocated per packet. Start
 * at {@link dev.komainu.agent.connection.tcp.SegmentAccounting}.
 */
@NullMarked
package dev.komainu.agent.connection.tcp;

import org.jspecify.annotations.NullMarked;

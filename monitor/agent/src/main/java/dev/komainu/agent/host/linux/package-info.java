/**
 * Linux's own data, read into plain values: files under {@code /proc}, and the listening sockets by
 * netlink.
 *
 * <p>In: the text of one file, or the bytes of one netlink response. Out: its values; a missing or
 * malformed value is left out, never guessed and never an exception, because kernels differ and
 * containers hide files. Pure functions, except {@link dev.komainu.agent.host.linux.ProcFiles},
 * which opens the files, and {@link dev.komainu.agent.host.linux.SocketDiagnosis}, which queries
 * the kernel. Any thread, one at a time.
 *
 * <p>Start at {@link dev.komainu.agent.host.linux.ProcFiles}.
 *
 * <p>Decisions: docs/decisions/0050-ports-and-shapers-by-netlink.md,
 * docs/decisions/0107-pools-of-a-server.md
 */
@NullMarked
package dev.komainu.agent.host.linux;

import org.jspecify.annotations.NullMarked;

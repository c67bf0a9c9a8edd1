/**
 * What Linux says about itself, read into plain values: files under {@code /proc}, and the
 * listening sockets by netlink.
 *
 * <p>In: the text of one file, or the bytes of one netlink answer. Out: its values; what is missing
 * or malformed is left out, never guessed and never an exception, since kernels differ and
 * containers hide files. Pure functions, except {@link dev.komainu.agent.host.linux.ProcFiles},
 * which opens the files, and {@link dev.komainu.agent.host.linux.SocketDiagnosis}, which asks the
 * kernel. Any thread, one at a time.
 *
 * <p>Start at {@link dev.komainu.agent.host.linux.ProcFiles}.
 *
 * <p>Decision: docs/decisions/0050-ports-and-shapers-by-netlink.md
 */
@NullMarked
package dev.komainu.agent.host.linux;

import org.jspecify.annotations.NullMarked;

/**
 * The process of a command that serves. In: signals, and the command's result. Out: requests to
 * reload settings and to stop, and an exit code. Thread: the command's, the signals' and the
 * shutdown's. Start at {@link dev.komainu.telemetry.process.CommandProcess}.
 */
@NullMarked
package dev.komainu.telemetry.process;

import org.jspecify.annotations.NullMarked;

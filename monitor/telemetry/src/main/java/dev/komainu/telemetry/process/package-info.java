/**
 * The process of a command that serves. In: signals, and how the command ended. Out: orders to read
 * settings again and to stop, and an exit code. Thread: the command's, the signals' and the
 * shutdown's. Start at {@link dev.komainu.telemetry.process.CommandProcess}.
 */
@NullMarked
package dev.komainu.telemetry.process;

import org.jspecify.annotations.NullMarked;

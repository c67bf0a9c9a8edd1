/**
 * The command-line client of the central service. It uses the public REST interface.
 *
 * <p>In: command line, a token. Out: text or JSON, and an exit code. Uses no other package; one
 * thread.
 *
 * <p>Start at {@link dev.komainu.central.terminal.Diagnose}.
 */
@NullMarked
package dev.komainu.central.terminal;

import org.jspecify.annotations.NullMarked;

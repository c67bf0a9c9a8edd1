/**
 * A terminal's view of the central service: a small client that asks by REST as any other does.
 *
 * <p>In: command line, a token. Out: text or JSON, and an exit code. Knows no other room; one
 * thread.
 *
 * <p>Start at {@link dev.komainu.central.terminal.Diagnose}.
 */
@NullMarked
package dev.komainu.central.terminal;

import org.jspecify.annotations.NullMarked;

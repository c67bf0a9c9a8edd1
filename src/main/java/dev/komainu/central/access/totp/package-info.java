/**
 * Time-based one-time passwords (RFC 6238): the secret that a user's authenticator holds, its text
 * forms, and the comparison of a code with a clock.
 *
 * <p>In: a code that a user typed, and the time. Out: the time step that the code belongs to, or
 * none. Thread: any; nothing is stored here. Start at {@link dev.komainu.central.access.totp.Totp}.
 *
 * <p>Decision: docs/decisions/0114-second-factor.md
 */
@NullMarked
package dev.komainu.central.access.totp;

import org.jspecify.annotations.NullMarked;

/**
 * The organizer as a program (paper 004): who is there, what each serves, how it does, and whom to
 * choose. Start at {@link dev.komainu.organizer.OrganizerServer}.
 *
 * <p>Decisions: docs/decisions/0086-purges-within-grants.md,
 * docs/decisions/0090-five-modules-between-client-and-server.md,
 * docs/decisions/0091-declared-settings.md
 */
@NullMarked
package dev.komainu.organizer;

import org.jspecify.annotations.NullMarked;

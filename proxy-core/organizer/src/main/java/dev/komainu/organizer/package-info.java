/**
 * The organizer as a program (paper 004): who is there, what each serves, how it does, and whom to
 * choose. Start at {@link dev.komainu.organizer.OrganizerServer}.
 */
@NullMarked
package dev.komainu.organizer;

import org.jspecify.annotations.NullMarked;

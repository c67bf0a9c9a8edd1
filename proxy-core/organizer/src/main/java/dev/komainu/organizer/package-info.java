/**
 * The organizer as a program (paper 004): the members of the cluster, their routes, their load, and
 * the choice of a member for each request. Start at {@link dev.komainu.organizer.OrganizerServer}.
 *
 * <p>Decisions: docs/decisions/0086-purges-within-grants.md,
 * docs/decisions/0090-five-modules-between-client-and-server.md,
 * docs/decisions/0091-declared-settings.md
 */
@NullMarked
package dev.komainu.organizer;

import org.jspecify.annotations.NullMarked;

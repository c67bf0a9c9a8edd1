/**
 * Orders and answers over loopback: members, table, events as JSON; drain and weight. The whole
 * contract: {@code docs/organizer.md}. Start at
 * {@link dev.komainu.organizer.control.ControlEndpoint}.
 */
@NullMarked
package dev.komainu.organizer.control;

import org.jspecify.annotations.NullMarked;

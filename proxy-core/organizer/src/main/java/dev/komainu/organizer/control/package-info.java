/**
 * Orders and answers over loopback: members, table, events as JSON; drain and weight. The whole
 * contract: {@code docs/organizer.md}. Start at
 * {@link dev.komainu.organizer.control.ControlEndpoint}.
 *
 * <p>Decision: docs/decisions/0096-prometheus-text-pages.md
 */
@NullMarked
package dev.komainu.organizer.control;

import org.jspecify.annotations.NullMarked;

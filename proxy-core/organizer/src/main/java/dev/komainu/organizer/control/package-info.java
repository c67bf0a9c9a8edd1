/**
 * The control endpoint on loopback: members, route table and events as JSON; drain and weight. The
 * complete contract is {@code docs/organizer.md}. Start at
 * {@link dev.komainu.organizer.control.ControlEndpoint}.
 *
 * <p>Decision: docs/decisions/0096-prometheus-text-pages.md
 */
@NullMarked
package dev.komainu.organizer.control;

import org.jspecify.annotations.NullMarked;

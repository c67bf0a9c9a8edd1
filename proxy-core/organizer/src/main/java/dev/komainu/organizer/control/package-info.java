/**
 * The control endpoint on loopback: members, route table and events as JSON; drain and weight. The
 * complete contract is {@code docs/organizer.md}. Start at
 * {@link dev.komainu.organizer.control.ControlEndpoint}.
 *
 * <p>Decision: docs/decisions/0110-metrics-by-micrometer.md
 */
@NullMarked
package dev.komainu.organizer.control;

import org.jspecify.annotations.NullMarked;

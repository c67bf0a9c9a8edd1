/**
 * The parts of this installation: agents, probes, proxies and organizers that have a certificate of
 * their own, and the one-time codes with which they get it.
 *
 * <p>In: the codes of administrators, the applications of parts, the certificates of requests. Out:
 * certificates, and for each request the part with the names in which it may report. Any thread.
 * Start at {@link dev.komainu.central.enrolment.EnrolmentService}.
 *
 * <p>Decision: docs/decisions/0115-enrolment-by-code.md
 */
@NullMarked
package dev.komainu.central.enrolment;

import org.jspecify.annotations.NullMarked;

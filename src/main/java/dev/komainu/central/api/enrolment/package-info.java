/**
 * The routes of enrolment: codes and parts for administrators, enrolment and renewal for parts.
 *
 * <p>In: HTTP requests. Out: JSON of {@code docs/api/openapi.yaml}. Request threads. Start at
 * {@link dev.komainu.central.api.enrolment.EnrolmentController}.
 */
@NullMarked
package dev.komainu.central.api.enrolment;

import org.jspecify.annotations.NullMarked;

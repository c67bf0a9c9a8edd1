/**
 * Error responses: problems by RFC 9457 with stable types.
 *
 * <p>In: exceptions and refusals during a request. Out: {@code application/problem+json} with the
 * field, its value and the expected value. Thread: the request's. Controllers throw
 * {@link dev.komainu.central.api.problem.ProblemException}.
 *
 * <p>Start at {@link dev.komainu.central.api.problem.Problem}.
 */
@NullMarked
package dev.komainu.central.api.problem;

import org.jspecify.annotations.NullMarked;

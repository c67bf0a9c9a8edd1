/**
 * How the service says no: RFC 9457 problems with stable types.
 *
 * <p>In: whatever went wrong on the way to an answer. Out: {@code application/problem+json} naming
 * the field, its value and what was expected. Thread: the request's. Controllers throw
 * {@link dev.komainu.central.api.problem.ProblemException}.
 *
 * <p>Start at {@link dev.komainu.central.api.problem.Problem}.
 */
@NullMarked
package dev.komainu.central.api.problem;

import org.jspecify.annotations.NullMarked;

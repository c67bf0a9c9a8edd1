/**
 * Assessment: once a second everything is pulled, judged and published as one immutable whole.
 *
 * <p>In: batches that were stored ({@link dev.komainu.central.assessment.LiveFeed}, on the
 * ingesting thread), and the clock's tick. Out: {@link dev.komainu.central.assessment.Assessment},
 * told to listeners on the one assessment thread and readable by anybody at any time. Nobody below
 * calls upward: stream and controllers only read.
 *
 * <p>Start at {@link dev.komainu.central.assessment.Assessor#tick}.
 */
@NullMarked
package dev.komainu.central.assessment;

import org.jspecify.annotations.NullMarked;

/**
 * Assessment: once a second all data is read, judged and published as one immutable object.
 *
 * <p>In: batches that were stored ({@link dev.komainu.central.assessment.LiveFeed}, on the
 * ingesting thread), and the clock's tick. Out: {@link dev.komainu.central.assessment.Assessment},
 * passed to listeners on the one assessment thread and readable by any thread at any time. Lower
 * packages do not call this one: stream and controllers only read.
 *
 * <p>Start at {@link dev.komainu.central.assessment.Assessor#tick}.
 */
@NullMarked
package dev.komainu.central.assessment;

import org.jspecify.annotations.NullMarked;

/**
 * The replay of recordings: recorded batches judged again in simulated time by the classes that
 * judge live, without database and network.
 *
 * <p>In: a recording ({@link dev.komainu.central.recording.RecordingReader}), thresholds to try.
 * Out: assessments, one for each recorded tick. One thread.
 *
 * <p>Start at {@link dev.komainu.central.replay.RecordedCentre}; the command is
 * {@link dev.komainu.central.replay.ReplayCommand}.
 */
@NullMarked
package dev.komainu.central.replay;

import org.jspecify.annotations.NullMarked;

package dev.komainu.agent;

import dev.komainu.agent.packet.FrameDecoder;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.report.ReporterStatus;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The agent's own figures at one moment.
 *
 * @param status the last status, at most ten seconds old; null before the first
 * @param frames frames read since capturing began, by outcome; empty without capturing
 * @param reporter null without a central service
 */
record AgentFigures(
        @Nullable SourceStatus status,
        Map<FrameDecoder.Outcome, Long> frames,
        @Nullable ReporterStatus reporter) {}

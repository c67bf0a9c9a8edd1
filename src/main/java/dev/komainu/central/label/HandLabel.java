package dev.komainu.central.label;

import dev.komainu.telemetry.record.Label;
import java.time.Instant;

/**
 * A label that a user set for one service.
 *
 * @param service canonical id
 * @param by user or {@code token:NAME}
 */
public record HandLabel(String service, Label label, String by, Instant at) {}

package dev.komainu.central.room;

import java.nio.file.Path;

/**
 * The directories in which the central service stores.
 *
 * @param data directory of all data
 * @param telemetry directory of the telemetry, perhaps on a disk of its own
 */
public record RoomPlaces(Path data, Path telemetry) {}

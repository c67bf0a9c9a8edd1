/**
 * The files that a program of Komainu keeps for itself. In: paths from its settings. Out:
 * directories of mode 700 and files of mode 600. Thread: any. Start at
 * {@link dev.komainu.telemetry.file.PrivateFiles}.
 */
@NullMarked
package dev.komainu.telemetry.file;

import org.jspecify.annotations.NullMarked;

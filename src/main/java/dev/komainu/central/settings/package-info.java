/**
 * Reads settings and remembers every mistake, so that all of them are told at once.
 *
 * <p>In: Spring's environment (command line, environment variables, {@code application.yml}). Out: values within their
 * range, or one {@link dev.komainu.central.settings.SettingsMistakes}. Thread: the starting one. Imports nothing of
 * this project; each room keeps its own small record and asks the reader for its keys.
 *
 * <p>Start at {@link dev.komainu.central.settings.SettingsReader}.
 */
@NullMarked
package dev.komainu.central.settings;

import org.jspecify.annotations.NullMarked;

/**
 * The settings of all parts: their declaration, their sources and the grammar of their texts.
 *
 * <p>In: declarations beside the code that uses them; options, variables of the environment, a YAML
 * file from an administrator. Out: values, or all mistakes with place and expectation; the values
 * in force and their sources. One thread, except for declarations and the grammar. Start at
 * {@link dev.komainu.settings.Setting}, then {@link dev.komainu.settings.SettingReader}.
 *
 * <p>Decision: docs/decisions/0091-declared-settings.md
 */
@NullMarked
package dev.komainu.settings;

import org.jspecify.annotations.NullMarked;

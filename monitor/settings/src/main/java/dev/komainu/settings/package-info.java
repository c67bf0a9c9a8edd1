/**
 * The one grammar of settings, and how their files are read. In: a text as an administrator wrote it, a YAML file. Out: a value, or an exception
 * that tells the text and what was expected. Any thread. Start at {@link dev.komainu.settings.SettingText}.
 */
@NullMarked
package dev.komainu.settings;

import org.jspecify.annotations.NullMarked;

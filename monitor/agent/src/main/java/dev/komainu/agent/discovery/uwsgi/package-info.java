/**
 * uWSGI: its command line, its environment, and its files in the INI, XML and YAML forms.
 *
 * <p>Start at {@link dev.komainu.agent.discovery.uwsgi.UwsgiReader}. Thread: discovery's.
 *
 * <p>Decision: docs/decisions/0094-server-configuration-parsers.md
 */
@NullMarked
package dev.komainu.agent.discovery.uwsgi;

import org.jspecify.annotations.NullMarked;

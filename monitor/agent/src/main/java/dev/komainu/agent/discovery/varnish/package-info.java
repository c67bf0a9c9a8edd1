/**
 * Varnish: the parameters on its command line, the running version's own defaults, the backends of
 * its VCL.
 *
 * <p>Start at {@link dev.komainu.agent.discovery.varnish.VarnishReader}. Thread: discovery's.
 *
 * <p>Decision: docs/decisions/0094-server-configuration-parsers.md
 */
@NullMarked
package dev.komainu.agent.discovery.varnish;

import org.jspecify.annotations.NullMarked;

/**
 * gunicorn: its command line, its environment, and the plain assignments of its Python file, which
 * is never executed.
 *
 * <p>Start at {@link dev.komainu.agent.discovery.gunicorn.GunicornReader}. Thread: discovery's.
 *
 * <p>Decision: docs/decisions/0094-server-configuration-parsers.md
 */
@NullMarked
package dev.komainu.agent.discovery.gunicorn;

import org.jspecify.annotations.NullMarked;

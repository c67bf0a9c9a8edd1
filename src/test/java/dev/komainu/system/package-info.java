/**
 * The whole platform under test, started as a user starts it; every test is named after what a user
 * does or suffers.
 *
 * <p>Decisions: docs/decisions/0051-drills.md, docs/decisions/0058-tests-beside-each-other.md
 */
package dev.komainu.system;

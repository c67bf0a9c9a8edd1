/**
 * The whole platform under test, started as a user starts it; every test is named after what a user
 * does or suffers.
 */
package dev.komainu.system;

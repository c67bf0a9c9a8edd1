/**
 * Networks of their own for tests: namespaces, a switch with a mirror port, agents as processes in
 * them.
 */
package dev.komainu.agent.lab;

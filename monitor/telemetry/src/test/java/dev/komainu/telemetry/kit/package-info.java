/** What tests of all modules ask of the machine they run on: privileges, programs. */
package dev.komainu.telemetry.kit;

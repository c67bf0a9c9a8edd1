/** Requirements of all modules' tests on the machine: privileges, programs. */
package dev.komainu.telemetry.kit;

/** Everything at once against the real server, for as long as wanted, with a model beside it. */
package dev.orrery.compat.soak;

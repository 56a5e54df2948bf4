/** Geometry as documents and queries write it, on the sphere and on the plane, and its keys. */
package dev.orrery.language.geo;

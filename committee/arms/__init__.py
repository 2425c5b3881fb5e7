"""From a reviewer's patch to an arm that can be measured: applied and compiled in an own copy, never trusted."""

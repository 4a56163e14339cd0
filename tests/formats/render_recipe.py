"""Renders a recipe for conda as rattler-build does, and writes what each platform needs, as JSON. Runs in the Python
that has rattler-build.

render_recipe.py RECIPE PLATFORM...
"""

import json
import sys

import rattler_build

# What conda-forge pins for all recipes, as far as ours asks for it.
VARIANTS = """
c_compiler: [gcc]
cxx_compiler: [gxx]
c_stdlib: [sysroot]
c_stdlib_version: ["2.17"]
"""


def rendered(path, platform):
    variants = rattler_build.VariantConfig.from_yaml(VARIANTS)
    config = rattler_build.RenderConfig(platform=rattler_build.PlatformConfig(target_platform=platform))
    return [output.recipe.to_dict() for output in rattler_build.Stage0Recipe.from_file(path).render(variants, config)]


if __name__ == "__main__":
    json.dump({platform: rendered(sys.argv[1], platform) for platform in sys.argv[2:]}, sys.stdout)

from tests.stories import new_world as new_world
from tests.stories import twin as twin
from tests.stories import twin_process as twin_process
from tests.stories import world as world
from tests.usecases.long_work import place as place
